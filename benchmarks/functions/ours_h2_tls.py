"""Our side over h2 with mutual TLS, without generated models."""


def main():
    from benchmarks.functions import ours_tls

    ours_tls.main("h2")
