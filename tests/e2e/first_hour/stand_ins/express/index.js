// What this project uses of Express, in its shapes: routers below a prefix, JSON bodies.
const http = require("node:http");

function router() {
  const layers = [];
  const handle = (req, res, path, next) => {
    const step = (at) => {
      const layer = layers[at];
      if (!layer) return next();
      if (layer.prefix !== undefined) {
        if (!path.startsWith(layer.prefix)) return step(at + 1);
        const below = path.slice(layer.prefix.length) || "/";
        if (layer.to.handle) return layer.to.handle(req, res, below, () => step(at + 1));
        return layer.to(req, res, () => step(at + 1));
      }
      if (layer.method === req.method && layer.path === path) return layer.to(req, res);
      return step(at + 1);
    };
    step(0);
  };
  const made = { handle };
  made.use = (prefix, to) =>
    typeof prefix === "string"
      ? layers.push({ prefix, to })
      : layers.push({ prefix: "", to: prefix });
  for (const verb of ["get", "post"]) {
    made[verb] = (path, to) => layers.push({ method: verb.toUpperCase(), path, to });
  }
  return made;
}

function express() {
  const app = router();
  app.listen = (port, ready) =>
    http
      .createServer((req, res) => {
        res.status = (code) => ((res.statusCode = code), res);
        res.json = (body) => res.setHeader("content-type", "application/json").end(JSON.stringify(body));
        const missing = () => res.status(404).end(`<pre>Cannot ${req.method} ${req.url}</pre>`);
        app.handle(req, res, req.url.split("?")[0], missing);
      })
      .listen(port, ready);
  return app;
}

express.Router = router;
express.json = () => async (req, res, next) => {
  const parts = [];
  for await (const part of req) parts.push(part);
  req.body = parts.length ? JSON.parse(Buffer.concat(parts)) : {};
  next();
};
module.exports = express;
module.exports.Router = router;
