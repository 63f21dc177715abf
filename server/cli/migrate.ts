import { defineCommand } from './command'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Brings the control tables up to date, as every start does.',
  options: {},
  async run(_, { db, print }) {
    // A command is only handed a database once that is done.
    const [last] = await db.sql<{ name: string }[]>`select name from relata.migrations order by name desc limit 1`
    print(`The database is up to date, at ${last?.name ?? 'no migration'}.`)
    return 0
  },
})
