"""Both transports, as the tests of the runtime have them."""

from tests.runtime.conftest import transport as transport
