// The versions beside this one: .ci/publish-site keeps their list in the folder above.
const root = document.documentElement.dataset.content_root;
const select = document.querySelector(".versions select");
fetch(`${root}../versions.json`)
  .then((reply) => reply.json())
  .then((versions) => {
    for (const version of versions) {
      select.add(new Option(version, version, false, version === select.dataset.version));
    }
    select.parentElement.hidden = false;
    select.addEventListener("change", () => {
      location.href = new URL(`${root}../${select.value}/`, location);
    });
  })
  .catch(() => {}); // a site that was built and not published

// What the theme leaves out for those who listen or use the keyboard.
const each = (selector, act) => document.querySelectorAll(selector).forEach(act);
each(".sidebar-drawer", (node) => (node.ariaLabel = "The manual"));
each(".toc-drawer", (node) => (node.ariaLabel = "This page"));
each(".caption[role=heading]", (node) => (node.ariaLevel = 2));
each("pre, .table-wrapper", (node) => {
  if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
});
