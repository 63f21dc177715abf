/** What an operator does when the database may be a copy: see docs/scaling.md (Moves and copies). */

import { COMMAND_LINE } from '#access/audit-log/audit'
import { decide, describeHold, readInstallation, type Decision } from '#access/installation/hold'
import { CommandError, defineCommand, type LocalCommand } from './command'

export const installationShow = defineCommand({
  name: 'installation show',
  summary: 'Shows which address the database serves, and whether webhooks and emails are held.',
  options: {},
  async run(_, { db, print }) {
    const installation = await readInstallation(db.sql)
    if (installation === undefined) throw new CommandError('No service has been started on this database yet.')
    print(describeHold(installation))
  },
})

export const installationMove = decisionCommand('move', {
  summary: 'Ends the hold: the database was moved. Everything that waits is sent.',
  done: 'Webhooks, emails and fetches of videos go on.',
})

export const installationCopy = decisionCommand('copy', {
  summary: 'Ends the hold: the database is a copy. What waits is dropped, and all webhooks become inactive.',
  done: 'What waited is dropped, and all webhooks are inactive. Update a webhook to activate it.',
})

function decisionCommand(decision: Decision, { summary, done }: { summary: string; done: string }): LocalCommand {
  return defineCommand({
    name: `installation ${decision}`,
    summary,
    options: {},
    async run(_, { db, now, print }) {
      if (!(await decide(db, decision, COMMAND_LINE, now()))) throw new CommandError('Nothing is held.')
      print(done)
      return 0
    },
  })
}
