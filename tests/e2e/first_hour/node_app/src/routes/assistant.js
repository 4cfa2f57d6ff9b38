import { Router } from "express";

import { answer, search } from "../search.js";

export const assistant = Router();

assistant.post("/assistant", (req, res) => {
  const { message } = req.body;
  if (!message) return res.status(400).json({ error: { code: "no_message" } });
  const matches = search(message);
  res.json({
    data: { reply: answer(message, matches), matches },
    meta: { took: 1, model: "none" },
  });
});
