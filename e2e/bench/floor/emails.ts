/** The floor's emails: rows, answers in the service's shape, and the route for them. */

import type { Sql } from '#db/connect'
import { type FloorContext, timestamp } from './person'

interface EmailRow {
  readonly id: string
  readonly mailbox_id: string
  readonly sent_at: string
  readonly direction: string
  readonly subject_line: string
  readonly participants: readonly (readonly [role: string, address: string, name: string | null])[]
  readonly record_id: string
  readonly company_id: string
}

const pageWhere = (condition: string): string =>
  `select * from floor.emails ${condition} order by sent_at desc, id desc limit 25`
const NEWEST = pageWhere('')
const OF_RECORD = pageWhere('where record_id = $1')
const OF_DOMAIN = pageWhere('where domain = $1')

export function floorEmails(sql: Sql, context: FloorContext) {
  const run = (text: string, values: string[]) => sql.unsafe<EmailRow[]>(text, values, { prepare: true })
  return {
    '/v2/emails': {
      GET: async (request: Request) => {
        const query = new URL(request.url).searchParams
        const [record, domain] = [query.get('linked_record_ids'), query.get('domain')]
        const rows = await (record !== null
          ? run(OF_RECORD, [record])
          : domain !== null
            ? run(OF_DOMAIN, [domain])
            : run(NEWEST, []))
        const data = rows.map((row) => renderEmail(row, context))
        return Response.json({ data, pagination: { next_cursor: rows.at(-1)?.id ?? null } })
      },
    },
  }
}

function renderEmail(row: EmailRow, { workspaceId, objectId }: FloorContext) {
  const { id: email_id, mailbox_id, sent_at, direction, subject_line, participants, record_id, company_id } = row
  return {
    id: { workspace_id: workspaceId, mailbox_id, email_id },
    sent_at: timestamp(sent_at),
    direction,
    subject_line,
    participants: participants.map(([role, email_address, name]) => {
      const email_domain = email_address.slice(email_address.indexOf('@') + 1)
      return { role, email_address, email_domain, name }
    }),
    linked_records: [
      { object_slug: 'people', object_id: objectId, record_id },
      { object_slug: 'companies', object_id: objectId, record_id: company_id },
    ],
  }
}
