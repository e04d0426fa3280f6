import { isJsonObject, type JsonObject } from './json-object.ts';

/**
 * Applies a JSON merge patch (RFC 7396 §2): members of the patch replace those of the target, null removes, objects
 * are merged, and anything else than an object replaces the whole. Neither argument is changed.
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
 * Applies a merge patch to a resource, which has each of its members whatever their value. To remove another would be
 * nothing: it stays as the null that was sent, so that who checks the result refuses a name that is not known.
 */
export function patchMembers(members: JsonObject, patch: JsonObject): JsonObject {
  const others = Object.entries(patch).filter(
    ([name, value]) => value === null && !Object.hasOwn(members, name),
  );
  return { ...(applyMergePatch(members, patch) as JsonObject), ...Object.fromEntries(others) };
}
