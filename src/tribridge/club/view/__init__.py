"""What people and programs see of the table: values that pages draw and the API sends."""
