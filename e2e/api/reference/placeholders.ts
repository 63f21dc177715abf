/** Placeholders of examples, for values that differ from run to run and for values that a page names and uses again. */

/** The kinds of values that a response may have in place of a placeholder. */
const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) =>
    typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value),
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(value),
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
}

/** Stands for members or elements that the example does not show. */
const REST = '…'

const WHOLE = /^<([a-z]+)(?:: ([a-z_]+))?>$/
const ANYWHERE = /<([a-z_]+)>/g

/** The values that a page has named so far. */
export type Named = Map<string, string>

/** Replaces the names in `text` by their values. Throws for a name that the page has not defined yet. */
export function replaceNames(text: string, named: ReadonlyMap<string, string>): string {
  return text.replaceAll(ANYWHERE, (whole, name: string) => {
    const value = named.get(name)
    if (value === undefined) throw new Error(`The page does not say what ${whole} is.`)
    return value
  })
}

/** Describes the differences between `actual` and the example. Adds the values that the example names to `named`. */
export function differences(expected: unknown, actual: unknown, named: Named, at = 'the body'): string[] {
  if (typeof expected === 'string') return differencesOfText(expected, actual, named, at)
  if (Array.isArray(expected)) return differencesOfArrays(expected, actual, named, at)
  if (typeof expected === 'object' && expected !== null) return differencesOfObjects(expected, actual, named, at)
  return expected === actual ? [] : [differ(expected, actual, at)]
}

function differencesOfText(expected: string, actual: unknown, named: Named, at: string): string[] {
  const [, kind = '', name] = WHOLE.exec(expected) ?? []
  const isKind = KINDS[kind]
  if (isKind === undefined) {
    const text = replaceNames(expected, named)
    return text === actual ? [] : [differ(text, actual, at)]
  }
  if (!isKind(actual)) return [differ(expected, actual, at)]
  if (name !== undefined) named.set(name, String(actual))
  return []
}

function differencesOfArrays(expected: readonly unknown[], actual: unknown, named: Named, at: string): string[] {
  const shown = expected.at(-1) === REST ? expected.slice(0, -1) : expected
  if (!Array.isArray(actual)) return [differ(expected, actual, at)]
  const isLong = actual.length === shown.length || (shown !== expected && actual.length > shown.length)
  if (!isLong) return [differ(expected, actual, at)]
  return shown.flatMap((each, index) => differences(each, actual[index], named, `${at}[${index}]`))
}

function differencesOfObjects(expected: object, actual: unknown, named: Named, at: string): string[] {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return [differ(expected, actual, at)]
  const { [REST]: rest, ...shown } = expected as Record<string, unknown> // an object, checked above
  const others = rest === undefined ? Object.keys(actual).filter((member) => !Object.hasOwn(shown, member)) : []
  return [
    ...others.map((member) => `${at}.${member} is not shown: ${JSON.stringify(actual[member as never])}`),
    ...Object.entries(shown).flatMap(([member, value]) =>
      differences(value, actual[member as never], named, `${at}.${member}`),
    ),
  ]
}

const differ = (expected: unknown, actual: unknown, at: string): string =>
  `${at}: ${JSON.stringify(expected)} is shown, ${JSON.stringify(actual)} was answered`
