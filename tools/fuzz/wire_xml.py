"""Converts XML of the API by the schemas of the document: null is nil="true", a map is <field key="…">, and `type`
selects one of several types. Generic OpenAPI tools do not support this."""

import json
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr


def write_element(name, value, schema, attributes=""):
    start = f"<{name}{attributes}"
    if value is None:
        return f'{start} nil="true"/>'
    return f"{start}>{_write_content(value, schema)}</{name}>"


def _write_content(value, schema):
    # An unexpected list or object must not become empty content, which may be valid.
    if isinstance(value, list):
        items = schema.get("items", {})
        content = "".join(write_element(_item_name(items), each, items) for each in value)
        return content or ("" if "items" in schema else "<not-a-list/>")
    if isinstance(value, dict):
        content = "".join(_write_member(key, each, schema) for key, each in value.items())
        return content or ("" if schema.keys() & {"properties", "additionalProperties"} else "<not-an-object/>")
    return escape(value, {"\r": "&#13;"}) if isinstance(value, str) else json.dumps(value)


def _write_member(name, value, schema):
    if "properties" in schema:
        return write_element(name, value, schema["properties"].get(name, {}))
    kind = {bool: "boolean", int: "number", float: "number", list: "array"}.get(type(value))
    type_attribute = "" if kind is None else f' type="{kind}"'
    option = {"items": {}} if kind == "array" else {}
    return write_element("field", value, option, f" key={quoteattr(name)}{type_attribute}")


def read_document(text, answers, schemas):
    """Reads a response by the schema with its root element."""
    root = ElementTree.fromstring(text)
    members = {_local_name(child) for child in root}
    candidates = [each for each in answers if each["xml"]["name"] == _local_name(root)]
    # Problems that contain a resource have their own schema.
    schema = max(candidates, key=lambda each: len(members & each["properties"].keys()))
    return _read(root, schema, schemas)


def _read(element, schema, schemas):
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    if element.get("nil") == "true":
        return None
    if "anyOf" in schema:
        kind = element.get("type", "string")
        return _read(element, next(each for each in schema["anyOf"] if each["type"] == kind), schemas)
    if "items" in schema:
        return [_read(child, schema["items"], schemas) for child in element]
    if "properties" in schema:
        return _read_object(element, schema["properties"], schemas)
    if "additionalProperties" in schema:
        return {child.get("key"): _read(child, schema["additionalProperties"], schemas) for child in element}
    return _read_scalar(element.text or "", schema)


def _read_scalar(text, schema):
    return json.loads(text) if {"number", "integer", "boolean"} & _types(schema) else text


def _read_attribute(name, text, schema):
    """Reads an attribute; a missing one is null if its schema allows null, otherwise absent."""
    if text is None:
        return {name: None} if "null" in _types(schema) else {}
    return {name: _read_scalar(text, schema)}


def _read_object(element, properties, schemas):
    value = {}
    for name, schema in properties.items():
        xml = schema.get("xml", {})
        if xml.get("attribute"):
            value.update(_read_attribute(name, element.get(name), schema))
        elif xml.get("wrapped") is False:
            value[name] = [_read(child, schema["items"], schemas) for child in element]
    for child in element:
        name = _local_name(child)
        if name in properties:
            value[name] = _read(child, properties[name], schemas)
    return value


def _types(schema):
    types = schema.get("type", [])
    return {types} if isinstance(types, str) else set(types)


def _item_name(items):
    return items.get("xml", {}).get("name", "item")


def _local_name(element):
    return element.tag.rsplit("}", 1)[-1]
