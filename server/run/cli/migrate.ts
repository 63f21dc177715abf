import { defineCommand } from './command'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Migrates the database, as every start of the service does.',
  options: {},
  async run(_, { db, print }) {
    // Opening the database has run the migrations already.
    const last = await db.control
      .selectFrom('relata.migrations')
      .select('name')
      .orderBy('name', 'desc')
      .limit(1)
      .executeTakeFirst()
    print(`The database is up to date, at ${last?.name ?? 'no migration'}.`)
  },
})
