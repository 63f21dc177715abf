/** Mappings in files, YAML or JSON, and on the command line. */

import { type Mapping, parseTarget, renderTarget, type Target } from './mapping'
import { ImportError } from '../import-error'

/** JSON is YAML too, so that one reader does for both. Throws `ImportError`. */
export function parseMapping(text: string): Mapping {
  const content = parseYaml(text)
  if (!isMap(content)) throw new ImportError('The mapping file has no "columns".')
  const { match, columns, ...others } = content
  const [stranger] = Object.keys(others)
  if (stranger !== undefined)
    throw new ImportError(`The mapping file says "${stranger}"; it can say "match" and "columns".`)
  if (match !== undefined && typeof match !== 'string')
    throw new ImportError('"match" in the mapping file is the slug of an attribute.')
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
    throw new ImportError(`The mapping file is no YAML: ${error instanceof Error ? error.message : error}`)
  }
}

function readTarget(column: string, target: unknown): Target | null {
  if (target === null) return null
  if (typeof target !== 'string')
    throw new ImportError(`The mapping file does not say in a word where "${column}" goes.`)
  return parseTarget(target)
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** For people to edit; read again by `parseMapping`. */
export function printMapping({ match, columns }: Mapping): string {
  const lines = [...columns].map(
    ([column, target]) => `  ${JSON.stringify(column)}: ${JSON.stringify(renderTarget(target))}`,
  )
  return [...(match === undefined ? [] : [`match: ${match}`]), 'columns:', ...lines].join('\n')
}

/**
 * `Website=domains, Amounts Raised=amounts_raised:currency`: pairs apart by commas or line breaks. Commas before the sign
 * belong to the column's name.
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
