/** Adds addresses that get no emails of sequences. See docs/reference/emails.md (Unsubscribed addresses). */

import { sql } from 'kysely'
import { renderArray } from '#db/connect'
import { readAddress } from '#engine/attribute-types/email-address'
import type { ApiContext } from '#context'
import type { ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { type Static, Type } from 'typebox'

/** Returns each address once, with the time when it was first added. Throws 400 for texts that are no addresses. */
export async function addUnsubscribedEmails(
  { model, db, now }: ApiContext,
  { email_addresses }: UnsubscribedInput,
): Promise<UnsubscribedEmail[]> {
  const addresses = parseAddresses(email_addresses)
  const sorted = renderArray(addresses.toSorted())
  // The addresses are sorted, so that two writers of the same addresses wait for each other in the same order.
  await sql`
    insert into relata.unsubscribed_emails (workspace_id, email_address, created_at)
    select ${model.workspace.id}::uuid, address, ${timestampFromMicros(now())}::timestamptz
    from unnest(${sorted}::text[]) as a(address)
    on conflict (workspace_id, email_address) do nothing`.execute(db.control)
  const rows = await db.control
    .selectFrom('relata.unsubscribed_emails')
    .select(['email_address', 'created_at'])
    .where('workspace_id', '=', model.workspace.id)
    .where(sql<boolean>`email_address = any(${sorted}::text[])`)
    .execute()
  const times = new Map(rows.map(({ email_address, created_at }) => [email_address, created_at]))
  return addresses.flatMap((email_address) => {
    const created_at = times.get(email_address)
    return created_at === undefined ? [] : [{ email_address, created_at: timestampFromPostgres(created_at) }]
  })
}

function parseAddresses(texts: readonly string[]): string[] {
  const parsed = texts.map((text) => readAddress(text)?.email_address)
  const issues = parsed.flatMap((address, index): ValidationIssue[] =>
    address === undefined ? [invalidAddress(['data', 'email_addresses', index])] : [],
  )
  if (issues.length > 0) throw invalidBody(issues)
  return [...new Set(parsed.filter((address) => address !== undefined))]
}

const invalidAddress = (path: (string | number)[]): ValidationIssue => ({
  code: 'invalid_string',
  path,
  message: 'Invalid email address',
  string_validation: 'email',
})

// Wire shapes of unsubscribed addresses. See docs/reference/emails.md (Unsubscribed addresses).

/** Longer texts are no email addresses. */
const MAX_TEXT = 1_000

const STRICT = { additionalProperties: false }

const UnsubscribedInput = Type.Object(
  { email_addresses: Type.Array(Type.String({ maxLength: MAX_TEXT }), { minItems: 1, maxItems: 1_000 }) },
  STRICT,
)
type UnsubscribedInput = Static<typeof UnsubscribedInput>

export const UnsubscribedBody = Type.Object({ data: UnsubscribedInput }, STRICT)

const UnsubscribedEmail = Type.Object({
  email_address: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
})
type UnsubscribedEmail = Static<typeof UnsubscribedEmail>

export const UnsubscribedAnswer = Type.Object({ data: Type.Array(UnsubscribedEmail) })
