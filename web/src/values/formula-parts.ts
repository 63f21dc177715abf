/** Splits the text of a formula into the attributes that it names and the text between them. */

/** A name of the text: the slug of an attribute, with the field of its value if the formula reads one. */
export interface NamedAttribute {
  readonly text: string
  readonly slug: string
  readonly field: string | undefined
}

export type FormulaPart = string | NamedAttribute

/** `slugs` are those of the attributes. A function of the same name as an attribute is no attribute. */
export function formulaParts(formula: string, slugs: ReadonlySet<string>): FormulaPart[] {
  const parts: FormulaPart[] = []
  let end = 0
  // Texts, the beginning of comments, and numbers, in which no attribute is named; then names, in quotes or without.
  const token = /'[^']*'|--[^\n]*|\/\*|\d[\w.]*|"([^"]+)"|([a-z_][\w$]*)/gi
  for (let match = token.exec(formula); match !== null; match = token.exec(formula)) {
    if (match[0] === '/*') token.lastIndex = endOfComment(formula, match.index)
    const slug = match[1] ?? match[2]?.toLowerCase()
    if (slug === undefined || match.index < end || !slugs.has(slug)) continue
    const rest = formula.slice(match.index + match[0].length)
    if (/^\s*\(/.test(rest)) continue
    const field = /^\s*\.\s*"?(\w+)"?/.exec(rest)
    if (match.index > end) parts.push(formula.slice(end, match.index))
    const text = match[0] + (field?.[0] ?? '')
    parts.push({ text, slug, field: field?.[1] })
    end = match.index + text.length
  }
  if (end < formula.length) parts.push(formula.slice(end))
  return parts
}

/** Comments nest. One that does not end extends to the end of the formula. */
function endOfComment(formula: string, start: number): number {
  let depth = 0
  for (const { 0: mark, index } of formula.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return start + index + mark.length
  }
  return formula.length
}
