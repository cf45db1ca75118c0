"""A PostgreSQL database on AWS, and the Secret with which applications connect to it."""
