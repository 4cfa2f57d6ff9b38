"""Services of a project: their routes, their descriptions, and what header they want."""
