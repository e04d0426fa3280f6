import { isJsonObject, type JsonObject } from '../schema/json-object.ts';

/**
 * Applies a JSON merge patch (RFC 7396 §2): members of the patch replace those of the target, null removes a member,
 * objects are merged, and any other value replaces the target. Does not modify its arguments.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, applyMergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/**
 * Applies a merge patch to a resource. A null for a member that the resource does not have is kept instead of ignored,
 * so that validation rejects the unknown name.
 */
export function patchMembers(members: JsonObject, patch: JsonObject): JsonObject {
  const unknown = Object.entries(patch).filter(
    ([name, value]) => value === null && !Object.hasOwn(members, name),
  );
  return { ...(applyMergePatch(members, patch) as JsonObject), ...Object.fromEntries(unknown) };
}
