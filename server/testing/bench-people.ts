/** The people and companies of the benchmark, for tests of the plans of its queries. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeCsvFiles } from '../../e2e/bench/data/csv'
import type { SeededPeople } from '../../e2e/bench/workloads/workload'
import { importCommand } from '#run/cli/import/command'
import { runCommand } from './command-line'
import { getAttribute, getObject } from '#engine/data-model/find'
import type { TestService } from './service'
import { vacuumTables } from './vacuum'

/** Imports this number of people. */
export async function loadBenchPeople(service: TestService, count: number): Promise<SeededPeople> {
  const { db, appContext, workspaceId } = service
  const folder = mkdtempSync(join(tmpdir(), 'relata-plans-'))
  try {
    for (const { object, path, map } of await writeCsvFiles(folder, count)) {
      const words = [object, path, '--map', map, '--create-attributes', '--create-options']
      await runCommand(service, importCommand, words)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  await vacuumTables(db.sql)
  const people = getObject(await appContext.models.reload(workspaceId), 'people')
  const column = (slug: string, member: string) => `a_${getAttribute(people, slug).number}_${member}`
  const rows = await db.sql.unsafe<{ id: string; company: string; email: string }[]>(`
    select id, ${column('company', 'target_record_id')} as company, ${column('email_addresses', 'email_address')}[1] as email
    from ${people.table} order by created_at, id`)
  return { people: [...rows], next: () => count }
}
