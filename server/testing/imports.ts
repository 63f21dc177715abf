/** Uploads, starts, runs and reads imports at the console as one person. */

import { expect } from 'bun:test'
import { importWorker } from '#api/console/imports/worker'
import type { Answer } from './client'
import type { Person } from './people'
import type { TestService } from './service'

export interface ColumnTarget {
  readonly name: string
  readonly target: string
}

/** Returns the proposed plan with these changes. */
export const planOf = (columns: readonly ColumnTarget[], changes: Readonly<Record<string, string>> = {}) => ({
  columns: { ...Object.fromEntries(columns.map(({ name, target }) => [name, target])), ...changes },
  match: null,
  fallback: 'name',
  overwrite: false,
  country: null,
})

export function importsOf(service: TestService, person: Person) {
  const path = `/console/api/workspaces/${service.workspaceId}/imports`
  const upload = (text: string | Uint8Array, { object = 'companies', who = person } = {}): Promise<Answer> =>
    who.ask('POST', `${path}?${new URLSearchParams({ object, file_name: 'made.csv' })}`, text)
  const run = () => importWorker.start(service.appContext)

  return {
    path,
    upload,
    /** Uploads a file of companies, starts its import and returns its path. */
    async begin(text: string, changes: Readonly<Record<string, string>> = {}): Promise<string> {
      const { data } = (await upload(text)).body
      expect((await person.ask('POST', `${path}/${data.id}/start`, planOf(data.columns, changes))).status).toBe(200)
      return `${path}/${data.id}`
    },
    /** Starts a worker that looks for imports. */
    run,
    /** Runs all queued imports to their end. */
    async runAll(): Promise<void> {
      const worker = run()
      await worker.settled()
      await worker.stop()
    },
    shown: async (one: string): Promise<Answer['body']> => (await person.ask('GET', one)).body.data,
  }
}

/** Returns a file of `count` companies with this word in their names and websites. */
export const companies = (word: string, count: number): string =>
  [
    'Company,Website',
    ...Array.from({ length: count }, (_, at) => `${word} ${at},${word.toLowerCase()}-${at}.com`),
  ].join('\n')
