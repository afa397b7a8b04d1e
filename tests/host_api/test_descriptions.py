"""Descriptions of tensors and scalars: what fits, what is refused, and that nothing is narrowed silently."""

import ml_dtypes
import numpy as np
import pytest

from host_api import acl
from host_api.acl import DataType, Format, Status
from host_api.errors import AclError

message = acl.get_recent_err_msg


class TestTensor:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"shape": (2.5, 3)}, "shape is"),
            ({"shape": 6}, "shape is 6"),
            ({"shape": (1 << 40, 1 << 40)}, "does not fit 64 bits"),
            ({"strides": (-1, 1)}, "strides is"),
            ({"dtype": 5}, "dtype is 5"),
            ({"dtype": "float32"}, "dtype is 'float32'"),
            ({"offset": 1.0}, "offset is 1.0"),
            ({"data_format": 7}, "data_format is 7"),
            ({"storage_shape": (5,)}, "reaches element 5"),
            ({"address": 33}, "multiple of 32"),
            ({"address": "gm"}, "address is 'gm'"),
        ],
    )
    def test_refusals_raise_and_are_kept(self, arguments, words):
        complete = {"shape": (2, 3), "dtype": DataType.FLOAT, "address": 64} | arguments
        with pytest.raises(AclError) as caught:
            acl.create_tensor(**complete)
        assert words in caught.value.message
        assert words in message()

    def test_every_type_of_acl_can_be_named(self):
        tensor = acl.create_tensor((2,), DataType.FLOAT8_E5M2, address=64)
        assert tensor.dtype == 35
        with pytest.raises(AclError, match="FLOAT8_E5M2 has no NumPy counterpart"):
            _ = tensor.nbytes

    def test_defaults(self):
        tensor = acl.create_tensor((2, 3, 4), DataType.INT8)
        assert (tensor.strides, tensor.offset, tensor.format, tensor.address) == ((12, 4, 1), 0, Format.ND, 0)

    @pytest.mark.parametrize(
        ("shape", "strides", "contiguous"),
        [
            ((), (), True),
            ((2, 3), (3, 1), True),
            ((1, 3), (99, 1), True),
            ((2, 3), (1, 2), False),
            ((2, 3), (4, 1), False),
        ],
    )
    def test_contiguity(self, shape, strides, contiguous):
        tensor = acl.create_tensor(shape, DataType.FLOAT, strides, storage_shape=(100,))
        assert tensor.is_contiguous is contiguous

    def test_destroying_nothing_is_no_error(self):
        assert acl.destroy_tensor(None) == acl.destroy_scalar(None) == Status.SUCCESS
        assert acl.destroy_tensor("x") == Status.INVALID_PARAM


class TestScalar:
    @pytest.mark.parametrize(
        ("value", "dtype", "kept"),
        [
            (1.1, DataType.FLOAT, float(np.float32(1.1))),
            (1.1, DataType.DOUBLE, 1.1),
            (1.1, DataType.FLOAT16, float(np.float16(1.1))),
            (1.1, DataType.BF16, 1.1015625),
            (3, DataType.FLOAT, 3.0),
            (True, DataType.INT8, 1),
            (-128, DataType.INT8, -128),
            ((1 << 64) - 1, DataType.UINT64, (1 << 64) - 1),
            (1e300, DataType.FLOAT, float("inf")),
            (2, DataType.COMPLEX64, 2 + 0j),
            (np.float32(0.5), DataType.DOUBLE, 0.5),
            (np.array(0.5), DataType.FLOAT, 0.5),
            (ml_dtypes.bfloat16(0.5), DataType.FLOAT, 0.5),
        ],
    )
    def test_values(self, value, dtype, kept):
        assert acl.create_scalar(value, dtype).value == kept

    @pytest.mark.parametrize(
        ("value", "dtype"),
        [
            (1.5, DataType.INT32),
            (2.0, DataType.INT32),
            (1 + 1j, DataType.FLOAT),
            (128, DataType.INT8),
            (-1, DataType.UINT8),
            (1 << 70, DataType.INT64),
            (2, DataType.BOOL),
            ("1", DataType.FLOAT),
            (None, DataType.FLOAT),
            ([1.0], DataType.FLOAT),
            (1, DataType.STRING),
            (1, 5),
        ],
    )
    def test_nothing_is_narrowed_silently(self, value, dtype):
        with pytest.raises(AclError):
            acl.create_scalar(value, dtype)
        assert message()
