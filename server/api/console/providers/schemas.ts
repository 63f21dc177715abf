/** The bodies and queries of requests about sign-in at a provider. */

import { type Static, Type } from 'typebox'
import { Name, answerOf, listOf, nullable } from '#api/console/schemas'

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

/** A provider that the sign-in page offers. */
const OfferedProvider = Type.Object({ id: Type.String(), name: Type.String() })
export type OfferedProviderOutput = Static<typeof OfferedProvider>

export const OfferedProvidersAnswer = listOf(OfferedProvider)

/** The URL of the provider's sign-in page. */
export const ProviderUrlAnswer = answerOf(Type.Object({ url: Type.String() }))
export type ProviderUrlAnswer = Static<typeof ProviderUrlAnswer>

const SignInSettings = Type.Object({
  provider: nullable(Type.Object({ name: Type.String(), issuer: Type.String(), client_id: Type.String() })),
  installation_provider: nullable(Type.Object({ name: Type.String() })),
  /** The address that the provider must allow. */
  redirect_uri: Type.String(),
  /** The address to which the provider returns after a sign-out. */
  sign_out_redirect_uri: Type.String(),
  requires_provider: Type.Boolean(),
  break_glass_member_id: nullable(Type.String()),
  requires_second_factor: Type.Boolean(),
})
export type SignInSettings = Static<typeof SignInSettings>

export const SignInSettingsAnswer = answerOf(SignInSettings)
export type SignInSettingsAnswer = Static<typeof SignInSettingsAnswer>
