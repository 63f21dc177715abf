/** Wire shapes of templates of emails. See docs/reference/sending-email.md (Templates). */

import { type Static, Type } from 'typebox'

const STRICT = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })

const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })
const Subject = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\x00-\\x1f\\x7f]+$',
  description: 'A line with variables, such as `{{first_name}}`.',
})
const Text = Type.String({ minLength: 1, maxLength: 100_000, description: 'A text with variables.' })
const Unsubscribe = Type.Boolean({
  description: 'Whether recipients can unsubscribe with one press. Emails then have one recipient each.',
})

const TemplateInput = Type.Object(
  {
    name: Name,
    object: Type.String({
      maxLength: 1_000,
      description: 'The slug or the id of the object whose attributes are variables.',
    }),
    subject: Subject,
    text: Text,
    unsubscribe: Type.Optional(Unsubscribe),
  },
  STRICT,
)
export type TemplateInput = Static<typeof TemplateInput>
export const CreateTemplateBody = Type.Object({ data: TemplateInput }, STRICT)

const TemplateChange = Type.Object(
  {
    name: Type.Optional(Name),
    subject: Type.Optional(Subject),
    text: Type.Optional(Text),
    unsubscribe: Type.Optional(Unsubscribe),
  },
  STRICT,
)
export type TemplateChange = Static<typeof TemplateChange>
export const UpdateTemplateBody = Type.Object({ data: TemplateChange }, STRICT)

export const TemplateOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, template_id: Uuid }),
  name: Type.String(),
  object_id: Uuid,
  object_slug: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  unsubscribe: Type.Boolean(),
  /** The names that the texts can use. */
  variables: Type.Array(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
})
export type TemplateOutput = Static<typeof TemplateOutput>

export const TemplateAnswer = Type.Object({ data: TemplateOutput })
export const TemplatesAnswer = Type.Object({ data: Type.Array(TemplateOutput) })

export const PreviewQuery = Type.Object({
  record_id: Type.String({ maxLength: 100, description: 'The record whose values replace the variables.' }),
})
export const PreviewAnswer = Type.Object({
  data: Type.Object({
    subject: Type.String(),
    text: Type.String(),
    missing: Type.Array(Type.String({ description: 'A variable without a value and without a text in its place.' })),
  }),
})
export type PreviewAnswer = Static<typeof PreviewAnswer>
