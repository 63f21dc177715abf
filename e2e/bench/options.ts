/** The options of the command line. */

import { parseArgs } from 'node:util'

export interface Options {
  /** The number of people. */
  readonly records: number
  /** The duration of each workload, per side and concurrency. */
  readonly seconds: number
  /** The names of workloads. Without names, all are measured. */
  readonly only: readonly string[]
  /** The number of connections that write beside each query. */
  readonly writers: number
  /** The folder of the database for later runs. Without it, the database is deleted at the end. */
  readonly data: string | undefined
  /** Whether the indexes of earlier runs are dropped first. */
  readonly afresh: boolean
  /** A file of `json` from a run with fewer records. */
  readonly than: string | undefined
  /** The file for the figures as JSON. */
  readonly json: string | undefined
  /** The file for the CPU profile of the service. */
  readonly profile: string | undefined
}

/** `known` has the names that `--only` may contain. */
export function readOptions(args: readonly string[], known: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      records: { type: 'string', default: '200000' },
      seconds: { type: 'string', default: '8' },
      only: { type: 'string', default: '' },
      writers: { type: 'string' },
      data: { type: 'string' },
      afresh: { type: 'boolean', default: false },
      than: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  return {
    records: positive('--records', values.records),
    seconds: positive('--seconds', values.seconds),
    only: names(values.only, known),
    writers: values.writers === undefined ? 0 : positive('--writers', values.writers),
    data: values.data,
    afresh: values.afresh,
    than: values.than,
    json: values.json,
    profile: values.profile,
  }
}

function names(text: string, known: readonly string[]): string[] {
  const given = text.split(',').filter((name) => name !== '')
  const unknown = given.find((name) => !known.includes(name))
  if (unknown === undefined) return given
  throw new Error(`There is no workload "${unknown}", but there are ${known.join(', ')}.`)
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  throw new Error(`${name} takes a number above 0, not "${text}".`)
}
