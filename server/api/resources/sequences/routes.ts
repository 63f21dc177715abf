import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { readAddress } from '#engine/attribute-types/email-address'
import type { ApiContext } from '#context'
import type { ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { timestampFromPostgres } from '#base/timing/clock'
import { addUnsubscribed, findUnsubscribed } from '#crm/email/unsubscribing'
import { type Static, Type } from 'typebox'

/** See docs/reference/emails.md (Unsubscribed addresses). */
export const sequenceRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'sequences' }).post(
    ...guard(
      '/v2/sequences/unsubscribed_emails',
      {
        operation: 'addUnsubscribedEmails',
        summary: 'Add unsubscribed addresses',
        description: 'Addresses that were added before keep their time.',
        tag: 'Sequences',
        scopes: ['sequence_unsubscribe:read-write'],
        body: UnsubscribedBody,
        response: UnsubscribedAnswer,
      },
      async ({ context, body }) => ({ data: await addUnsubscribedEmails(context, body.data) }),
    ),
  )

// Adds addresses that get no emails of sequences. See docs/reference/emails.md (Unsubscribed addresses).

/** Returns each address once, with the time when it was first added. Throws 400 for texts that are no addresses. */
async function addUnsubscribedEmails(
  { model, db, now }: ApiContext,
  { email_addresses }: UnsubscribedInput,
): Promise<UnsubscribedEmail[]> {
  const addresses = parseAddresses(email_addresses)
  await addUnsubscribed(db, model.workspace.id, addresses, now())
  const rows = await findUnsubscribed(db.sql, model.workspace.id, addresses)
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

const UnsubscribedBody = Type.Object({ data: UnsubscribedInput }, STRICT)

const UnsubscribedEmail = Type.Object({
  email_address: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
})
type UnsubscribedEmail = Static<typeof UnsubscribedEmail>

const UnsubscribedAnswer = Type.Object({ data: Type.Array(UnsubscribedEmail) })
