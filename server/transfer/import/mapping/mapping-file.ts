/** Reads mappings from files, in YAML or JSON, and from the command line. */

import { type Mapping, parseTarget, renderTarget, type Target } from './mapping'
import { ImportError } from '#transfer/import/import-context'

/** Every JSON text is YAML, so one parser reads both. Throws `ImportError`. */
export function parseMapping(text: string): Mapping {
  const content = parseYaml(text)
  if (!isMap(content)) throw new ImportError('The mapping file has no "columns".')
  const { match, columns, ...others } = content
  const [unknownMember] = Object.keys(others)
  if (unknownMember !== undefined)
    throw new ImportError(`The mapping file has "${unknownMember}"; it may only have "match" and "columns".`)
  if (match !== undefined && typeof match !== 'string')
    throw new ImportError('"match" in the mapping file must be the slug of an attribute.')
  if (!isMap(columns)) throw new ImportError('The mapping file has no "columns".')
  return {
    match,
    columns: new Map(Object.entries(columns).map(([column, target]) => [column, readTarget(column, target)])),
  }
}

function parseYaml(text: string): unknown {
  try {
    return Bun.YAML.parse(text)
  } catch (error) {
    throw new ImportError(`The mapping file is not YAML: ${error instanceof Error ? error.message : error}`)
  }
}

function readTarget(column: string, target: unknown): Target | null {
  if (target === null) return null
  if (typeof target !== 'string') throw new ImportError(`The target of "${column}" in the mapping file is not a text.`)
  return parseTarget(target)
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text that people edit and `parseMapping` reads. */
export function printMapping({ match, columns }: Mapping): string {
  const lines = [...columns].map(
    ([column, target]) => `  ${JSON.stringify(column)}: ${JSON.stringify(renderTarget(target))}`,
  )
  return [...(match === undefined ? [] : [`match: ${match}`]), 'columns:', ...lines].join('\n')
}

/**
 * Parses `Website=domains, Amounts Raised=amounts_raised:currency`. Commas and line breaks separate pairs, except in the
 * name of a column.
 */
export function parsePairs(text: string): Map<string, Target | null> {
  return new Map(
    splitPairs(text).map((pair) => {
      const at = pair.lastIndexOf('=')
      if (at < 1) throw new ImportError(`"${pair}" is not of the form "Column=attribute".`)
      return [pair.slice(0, at).trim(), parseTarget(pair.slice(at + 1))]
    }),
  )
}

function splitPairs(text: string): string[] {
  const pairs: string[] = []
  let pieces: string[] = []
  for (const piece of text.split(/[,\n]/)) {
    if (pieces.length > 0 || piece !== '') pieces.push(piece)
    if (!piece.includes('=')) continue
    pairs.push(pieces.join(',').trim())
    pieces = []
  }
  const last = pieces.join(',').trim()
  return last === '' ? pairs : [...pairs, last]
}
