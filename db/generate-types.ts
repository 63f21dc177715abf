/**
 * Generates `schema.ts`, the types of the control tables, and `schema.sql`, their definitions, from a migrated database.
 * Run `bun db:types` after you add a migration.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testDatabase } from '#testing/database'
import { describeSchema } from './describe-schema'
import { renderSql, renderTypes } from './render-schema'

const { db, drop } = await testDatabase()
try {
  const tables = await describeSchema(db.sql)
  writeFileSync(join(import.meta.dir, 'schema.ts'), renderTypes(tables))
  writeFileSync(join(import.meta.dir, 'schema.sql'), renderSql(tables))
} finally {
  await drop()
}
