/** Makes the emails that workloads list: one from each person to the admin, in the service and in the floor. */

import type { Sql } from '#db/connect'
import { ADMIN } from '../workloads/workload'
import { readPeopleTable } from './people-table'

/** Inserts rows as an import does, a minute apart. Emails of an earlier run are kept. */
export async function makeEmails(sql: Sql): Promise<void> {
  if ((await sql`select from relata.emails limit 1`).length > 0) return
  const { table, column } = await readPeopleTable(sql)
  await sql`
    insert into relata.mailboxes (workspace_id, id, member_id, created_at)
    select workspace_id, gen_random_uuid(), id, now() from relata.workspace_members where email_address = ${ADMIN}`
  await sql.unsafe(`
    insert into relata.emails (workspace_id, mailbox_id, id, message_key, thread_key, sent_at, direction, subject_line,
      participants)
    select b.workspace_id, b.id, gen_random_uuid(), p.id, p.id, timestamptz '2024-01-01' + p.nth * interval '1 minute',
      'inbound', 'Offer ' || p.nth,
      jsonb_build_array(jsonb_build_array('from', p.email, p.name), jsonb_build_array('to', '${ADMIN}', null))
    from (select id, ${column('email_addresses', 'email_address')}[1] as email, ${column('name', 'full_name')} as name,
      row_number() over (order by created_at, id) as nth from ${table}) p, relata.mailboxes b
    where p.email is not null`)
  await sql`
    insert into relata.email_addresses (workspace_id, email_address, sent_at, email_id, owner)
    select e.workspace_id, p.value->>1, e.sent_at, e.id, a.number
    from relata.emails e join relata.mailboxes b on b.workspace_id = e.workspace_id and b.id = e.mailbox_id
      join relata.actors a on a.workspace_id = b.workspace_id and a.id = b.member_id,
      jsonb_array_elements(e.participants) p`
  await sql`
    insert into relata.email_domains (workspace_id, email_domain, sent_at, email_id, owner)
    select workspace_id, split_part(email_address, '@', 2), sent_at, email_id, owner from relata.email_addresses`
  await sql.unsafe('analyze relata.emails, relata.email_addresses, relata.email_domains')
}

/** The floor has one table, with the person and the company of each email. */
export async function makeFloorEmails(sql: Sql): Promise<void> {
  const { table, column } = await readPeopleTable(sql)
  await sql.unsafe(`
    drop table if exists floor.emails;
    create table floor.emails as
      select e.id, e.mailbox_id, e.sent_at, e.direction, e.subject_line, e.participants, p.id as record_id,
        p.${column('company', 'target_record_id')} as company_id, split_part(e.participants->0->>1, '@', 2) as domain
      from relata.emails e join ${table} p on p.id = e.message_key::uuid;
    alter table floor.emails add primary key (id);
    create index on floor.emails (sent_at desc, id desc);
    create index on floor.emails (record_id, sent_at desc, id desc);
    create index on floor.emails (domain, sent_at desc, id desc);
    analyze floor.emails;`)
}
