/** The bodies and queries of requests about sign-in at a provider. */

import { type Static, Type } from 'typebox'
import { Name } from '#api/console/schemas'

const Text = Type.String({ minLength: 1, maxLength: 1000, pattern: '^[\\x21-\\x7e]+$' })

/** Without `client_secret`, the stored secret remains. */
export const ProviderBody = Type.Object({
  name: Name,
  issuer: Type.String({ maxLength: 2000, pattern: '^https?://[^\\s?#"\'<>]+$' }),
  client_id: Text,
  client_secret: Type.Optional(Text),
})
export type ProviderBody = Static<typeof ProviderBody>

export const RulesBody = Type.Partial(
  Type.Object({
    requires_provider: Type.Boolean(),
    break_glass_member_id: Type.Union([Type.String({ maxLength: 36 }), Type.Null()]),
    requires_second_factor: Type.Boolean(),
  }),
)
export type RulesBody = Static<typeof RulesBody>

export const OfferQuery = Type.Object({ workspace: Type.Optional(Type.String({ maxLength: 200 })) })

/** The query of the address to which the provider returned, as the browser has it. */
export const ResponseBody = Type.Object({ query: Type.String({ maxLength: 8000 }) })
