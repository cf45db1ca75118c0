"""Programs: running others (`process`), an API server through kubectl (`kubectl`), the help of our own (`help`).

Development's rooms import them. They import `_terminal` and `errors`.
"""
