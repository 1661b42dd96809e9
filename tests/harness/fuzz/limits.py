"""An end to what does not end: `with time_limit(2.0): ...` raises TooSlow in Python code that runs longer."""

import signal


class TooSlow(BaseException):
    """Time is up; not an Exception, so that no program catches it."""


class time_limit:
    """Raise TooSlow in this thread after some seconds."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        signal.signal(signal.SIGALRM, self.ring)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    @staticmethod
    def ring(*_):
        raise TooSlow
