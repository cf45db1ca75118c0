"""What a composition function's author can rely on, tested from request bytes to response bytes."""
