/** What the command line asks for. */

import { parseArgs } from 'node:util'

export interface Options {
  /** How many people there are. */
  readonly records: number
  /** How long each workload is measured, per side and concurrency. */
  readonly seconds: number
  /** Names of workloads; all when there are none. */
  readonly only: readonly string[]
  /** How many connections write beside each query. */
  readonly writers: number
  /** Where the database is kept for later runs; else it is gone at the end. */
  readonly data: string | undefined
  /** Whether indexes that earlier runs had made are dropped first. */
  readonly afresh: boolean
  /** A file of `json` from a run with fewer records. */
  readonly than: string | undefined
  /** Where the figures go as JSON. */
  readonly json: string | undefined
  /** Where the service's processor profile goes. */
  readonly profile: string | undefined
}

/** `known` are the names that `--only` may give. */
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
