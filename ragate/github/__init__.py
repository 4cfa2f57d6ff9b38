"""The GitHub Action: reads the event, decides, and publishes."""
