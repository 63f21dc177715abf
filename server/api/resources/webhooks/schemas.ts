/** The schemas of webhooks. See docs/reference/webhooks-and-events.md (Webhooks, Subscription filters). */

import { type Static, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'

const Uuid = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })

const Condition = Type.Object({
  field: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: 'A dot path into the event as delivered, such as `id.object_id`.',
  }),
  operator: Type.Enum(['equals', 'not_equals']),
  value: Type.String({ maxLength: 1000 }),
})
const Conditions = Type.Array(Condition, { maxItems: 50 })

/** Exactly one of the two members. Filters are not nested. */
const SubscriptionFilter = Type.Union([
  Type.Object({ $and: Conditions }, { additionalProperties: false }),
  Type.Object({ $or: Conditions }, { additionalProperties: false }),
])

let validator: Validator<{}, typeof SubscriptionFilter> | undefined

/** Compiles the schema at the first call, because a webhook can have many filters. */
function isFilter(value: unknown): boolean {
  validator ??= Compile(SubscriptionFilter)
  return validator.Check(value)
}

/** All errors inside a filter have one message, which clients match. */
const FilterInput = Type.Refine(
  Type.Unsafe<Static<typeof SubscriptionFilter> | null | undefined>({
    description:
      'Null for every event of the kind, or `{"$and": […]}` or `{"$or": […]}` of conditions; an empty list means the same as null.',
  } as TSchema),
  (value) => value === null || value === undefined || isFilter(value),
  () => 'Invalid input',
)

const Include = Type.Optional(
  Type.Array(Type.Literal('values'), {
    maxItems: 1,
    description:
      'Adds `new_values` and `previous_values` of the changed attribute to events of `record.updated` and `list-entry.updated`.',
  }),
)

const SubscriptionInput = Type.Object({
  event_type: Type.Enum([...WEBHOOK_EVENT_TYPES]),
  filter: Type.Optional(FilterInput),
  include: Include,
})

const TargetUrl = Type.String({ pattern: '^https?://', maxLength: 2048 })
const SubscriptionsInput = Type.Array(SubscriptionInput, { minItems: 1 })

const Name = Type.Union([Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }), Type.Null()])

export const WebhookInput = Type.Object({
  name: Type.Optional(Name),
  target_url: TargetUrl,
  subscriptions: SubscriptionsInput,
})
export type WebhookInput = Static<typeof WebhookInput>

export const WebhookChange = Type.Partial(
  Type.Object({
    ...WebhookInput.properties,
    status: Type.Enum(['active', 'inactive'], {
      description: '`inactive` pauses the webhook: it gets no events, and its pending deliveries are dropped.',
    }),
  }),
)
export type WebhookChange = Static<typeof WebhookChange>

export const CreateWebhookBody = Type.Object({ data: WebhookInput })
export const UpdateWebhookBody = Type.Object({ data: WebhookChange })

const WebhookOwner = Type.Object(
  {
    type: Type.Enum(['workspace', 'api-token', 'app']),
    name: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'Who created the webhook and may change it. Only members of the workspace see this.' },
)

export const WebhookOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, webhook_id: Uuid }),
  name: Type.Optional(Type.String({ description: 'Missing for a webhook without a name.' })),
  target_url: Type.String({ format: 'uri' }),
  subscriptions: Type.Array(
    Type.Object({
      event_type: Type.Enum([...WEBHOOK_EVENT_TYPES]),
      filter: Type.Union([SubscriptionFilter, Type.Null()]),
      include: Include,
    }),
  ),
  status: Type.Enum(['active', 'degraded', 'inactive']),
  created_at: Timestamp,
  owner: Type.Optional(WebhookOwner),
  degraded_at: Type.Optional(
    Type.Union([Timestamp, Type.Null()], {
      description:
        'The time since which deliveries fail after their last attempt. Only members of the workspace see it.',
    }),
  ),
})
export type WebhookOutput = Static<typeof WebhookOutput>

const Secret = Type.String({ description: 'Signs the requests. Only this response has it.' })

export const CreatedWebhook = Type.Object({ ...WebhookOutput.properties, secret: Secret })
export type CreatedWebhook = Static<typeof CreatedWebhook>

export const WebhookAnswer = Type.Object({ data: WebhookOutput })
export const WebhooksAnswer = Type.Object({ data: Type.Array(WebhookOutput) })
export const CreatedWebhookAnswer = Type.Object({ data: CreatedWebhook })
