"""A client that knows nothing but the OpenAPI description of a server.

It calls operations by their id. An operation, parameter, body or status that is not described, and
a value that does not fit its schema, is an error. Keywords of JSON Schema that it does not know are
errors too, so that nothing passes unchecked.
"""

from __future__ import annotations

from typing import Any

import httpx

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_NOTES = {"title", "description", "default", "format"}
_CHECKED = {
    "$ref",
    "anyOf",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMaximum",
    "enum",
}


class DescribedClient:
    """Calls the operations of a description."""

    def __init__(self, client: httpx.AsyncClient, description: dict[str, Any]) -> None:
        self.client, self.description = client, description
        self.operations = {
            operation["operationId"]: (method, path, operation)
            for path, operations in description["paths"].items()
            for method, operation in operations.items()
        }
        self.seen: set[tuple[str, int]] = set()
        """Operations with the statuses that they have answered."""

    async def call(
        self,
        name: str,
        body: Any = None,
        *,
        token: str | None = None,
        status: int = 200,
        valid: bool = True,
        extra: dict[str, str] | None = None,
        **parameters: Any,
    ) -> Any:
        """The JSON that an operation answers; `valid=False` sends what does not fit."""
        method, path, operation = self.operations[name]
        known = {one["name"]: one for one in operation.get("parameters", ())}
        headers, query = dict(extra or {}), {}
        for key, value in parameters.items():
            if valid:
                self.check(value, known[key]["schema"], key)
            if known[key]["in"] == "path":
                path = path.replace(f"{{{key}}}", str(value))
            elif known[key]["in"] == "header":
                headers[key] = value
            else:
                query[key] = value
        missing = [key for key, one in known.items() if one["required"] and key not in parameters]
        assert not missing, f"{name} needs {missing}"
        if token is not None:
            assert {"HTTPBearer": []} in operation["security"], name
            assert self.description["components"]["securitySchemes"]["HTTPBearer"]["scheme"]
            headers["authorization"] = f"Bearer {token}"
        if body is not None and valid:
            content = operation["requestBody"]["content"]["application/json"]
            self.check(body, content["schema"], name)
        assert body is not None or not operation.get("requestBody", {}).get("required")
        answer = await self.client.request(method, path, params=query, json=body, headers=headers)
        assert answer.status_code == status, (name, answer.status_code, answer.text)
        return self.checked(name, answer)

    def checked(self, name: str, answer: httpx.Response) -> Any:
        """The JSON of an answer, if it is as described."""
        responses = self.operations[name][2]["responses"]
        assert str(answer.status_code) in responses, f"{name}: {answer.status_code} is undescribed"
        described = responses[str(answer.status_code)]
        kind = answer.headers["content-type"].partition(";")[0]
        assert kind in described["content"], f"{name}: {kind} is undescribed"
        for header in described.get("headers", ()):
            assert header.lower() in answer.headers, f"{name}: {header} is missing"
        value = answer.json()
        self.check(value, described["content"][kind]["schema"], name)
        self.seen.add((name, answer.status_code))
        return value

    def check(self, value: Any, schema: dict[str, Any], where: str) -> None:
        """Check a value against a schema."""
        unknown = set(schema) - _NOTES - _CHECKED
        assert not unknown, f"{where}: {unknown} cannot be checked"
        if "$ref" in schema:
            target = self.description
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            self.check(value, target, where)
        elif "anyOf" in schema:
            assert any(self.fits(value, one, where) for one in schema["anyOf"]), (where, value)
        elif "type" in schema:
            self._check_type(value, schema, where)

    def fits(self, value: Any, schema: dict[str, Any], where: str) -> bool:
        """Whether a value is as a schema has it."""
        try:
            self.check(value, schema, where)
        except AssertionError:
            return False
        return True

    def _check_type(self, value: Any, schema: dict[str, Any], where: str) -> None:
        kind = schema["type"]
        good = isinstance(value, _TYPES[kind])
        assert good, f"{where}: {value!r} is not of type {kind}"
        assert kind == "boolean" or not isinstance(value, bool), f"{where}: {value!r}"
        if kind == "array":
            assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
            for one in value:
                self.check(one, schema["items"], f"{where}[]")
        elif kind == "object":
            fields, more = schema.get("properties", {}), schema.get("additionalProperties", False)
            missing = set(schema.get("required", ())) - set(value)
            assert not missing, f"{where}: {missing} missing"
            for key, one in value.items():
                assert key in fields or more, f"{where}: {key} is undescribed"
                known = fields.get(key, more)
                self.check(one, {} if known is True else known, f"{where}.{key}")
        elif kind == "string":
            assert len(value) <= schema.get("maxLength", len(value)), f"{where}: too long"
            assert value in schema.get("enum", (value,)), f"{where}: {value!r}"
        elif kind in ("integer", "number"):
            assert value >= schema.get("minimum", value), where
            assert value <= schema.get("maximum", value), where
            assert value < schema.get("exclusiveMaximum", value + 1), where
