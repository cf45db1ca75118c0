"""A network whose resources wait for each other: a VPC, then a subnet, then a security group."""
