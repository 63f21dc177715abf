import { defineCommand } from './command'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Migrates the control tables, as every start of the service does.',
  options: {},
  async run(_, { db, print }) {
    // Opening the database has run the migrations already.
    const [last] = await db.sql<{ name: string }[]>`select name from relata.migrations order by name desc limit 1`
    print(`The database is up to date, at ${last?.name ?? 'no migration'}.`)
    return 0
  },
})
