import { includesScope, isScope, type Scope } from '../../scopes'

/**
 * Part of what may be had, where a part is asked for. Names that may not be had are passed over, since clients send stale
 * ones; when none is left, it is as if nothing had been asked.
 * See docs/reference/access-and-oauth.md (Authorization request).
 */
export function requestedScopes(available: readonly Scope[], asked: string | undefined): readonly Scope[] {
  const allowed = new Set(available)
  const known = new Set((asked ?? '').split(' ').filter(isScope))
  const part = [...known].filter((scope) => includesScope(allowed, scope))
  return part.length > 0 ? part : available
}
