"""How a process of ours begins and ends; imports nothing that takes time or memory."""
