import express from "express";

import { assistant } from "./routes/assistant.js";

const app = express();
app.use(express.json());
app.use("/api/v1", assistant);

const port = Number(process.env.PORT ?? 4173);
app.listen(port, () => console.log(`helpdesk listens on http://localhost:${port}`));
