"""Shape inference where graph mode knows an extent or the rank only at run time."""

import pytest

from host_api.errors import AclError
from host_api.infer_shape import infer_shape


@pytest.mark.parametrize(
    ("gradients", "features", "output"),
    [
        ((-1, 3), (5, 1), (5, 3)),
        ((-1, 3), (1, 3), (-1, 3)),
        ((-1,), (-1,), (-1,)),
        ((-1,), (0,), (0,)),
        ((-2,), (4, 5), (-2,)),
        ((4, 5), (-2,), (-2,)),
    ],
)
def test_shapes_known_at_run_time_only(gradients, features, output):
    assert infer_shape(gradients, features) == output


@pytest.mark.parametrize(("gradients", "features"), [((0,), (3,)), ((2, -1), (3, 4)), ((-3,), (3,))])
def test_shapes_that_cannot_be(gradients, features):
    with pytest.raises(AclError) as caught:
        infer_shape(gradients, features)
    assert caught.value.status == 561001
