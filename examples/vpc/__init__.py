"""A network on AWS: a VPC with a public and a private subnet in each zone, and everything that
connects them.
"""
