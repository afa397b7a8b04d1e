"""Shape inference on the operator's own cases."""

import pytest

from host_api.errors import AclError
from host_api.infer_shape import infer_shape


@pytest.mark.parametrize(
    ("gradients", "features", "output"),
    [
        ((4, 1, 1280), (4, 1, 1280), (4, 1, 1280)),
        ((4, 1, 1280), (1, 3, 1280), (4, 3, 1280)),
        ((2, 3, 4), (4,), (2, 3, 4)),
        ((), (), ()),
        ((0, 3), (1, 3), (0, 3)),
    ],
)
def test_broadcasts(gradients, features, output):
    assert infer_shape(gradients, features) == output


def test_names_the_dimension():
    with pytest.raises(AclError, match="dimension 1: 3 against 4"):
        infer_shape((2, 3), (2, 4))
