import { Elysia } from 'elysia'
import { EmptyAnswer } from '#base/validation/shapes'
import type { RouteGuard } from '#api/http/guard/route'
import {
  CreateTemplateBody,
  PreviewAnswer,
  PreviewQuery,
  TemplateAnswer,
  TemplatesAnswer,
  UpdateTemplateBody,
  type TemplateChange,
  type TemplateInput,
  type TemplateOutput,
} from './schemas'
import type { ApiContext } from '#context'
import { templateNotFound, tooManyTemplates } from '#base/errors/connected-accounts'
import { emptyPayload, invalidBody, readId } from '#base/errors/http'
import { newId } from '#base/ids'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import {
  type FilledTemplate,
  fillTemplate,
  findTemplate,
  listTemplates,
  type TemplateRow,
  unknownVariables,
  variablesOf,
} from '#crm/email/templates'
import { getObject } from '#engine/data-model/find'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'

const tag = 'Emails'
const TEMPLATES = '/v2/emails/templates'
const TEMPLATE = `${TEMPLATES}/:template_id` as const

/** See docs/reference/sending-email.md (Templates). */
export const emailTemplateRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'email-templates' })
    .get(
      ...guard(
        TEMPLATES,
        {
          operation: 'listEmailTemplates',
          summary: 'List the templates of emails',
          description: 'In the order of their names.',
          tag,
          scopes: ['email:read', 'object_configuration:read'],
          response: TemplatesAnswer,
        },
        async ({ context }) => ({ data: await readTemplates(context) }),
      ),
    )
    .post(
      ...guard(
        TEMPLATES,
        {
          operation: 'createEmailTemplate',
          summary: 'Create a template of emails',
          description: 'Its subject and text have attributes of the object as variables.',
          tag,
          scopes: ['email:read-write', 'object_configuration:read'],
          body: CreateTemplateBody,
          response: TemplateAnswer,
        },
        async ({ context, body }) => ({ data: await createTemplate(context, body.data) }),
      ),
    )
    .patch(
      ...guard(
        TEMPLATE,
        {
          operation: 'updateEmailTemplate',
          summary: 'Change a template of emails',
          tag,
          scopes: ['email:read-write', 'object_configuration:read'],
          body: UpdateTemplateBody,
          response: TemplateAnswer,
        },
        async ({ context, params, body }) => ({ data: await updateTemplate(context, params.template_id, body.data) }),
      ),
    )
    .delete(
      ...guard(
        TEMPLATE,
        {
          operation: 'deleteEmailTemplate',
          summary: 'Delete a template of emails',
          tag,
          scopes: ['email:read-write', 'object_configuration:read'],
          response: EmptyAnswer,
        },
        ({ context, params }) => deleteTemplate(context, params.template_id),
      ),
    )
    .get(
      ...guard(
        `${TEMPLATE}/preview`,
        {
          operation: 'previewEmailTemplate',
          summary: 'Preview a template for a record',
          description: 'The subject and the text with the values of the record.',
          tag,
          scopes: ['email:read', 'record_permission:read', 'object_configuration:read'],
          query: PreviewQuery,
          response: PreviewAnswer,
        },
        async ({ context, params, query }) => ({
          data: await previewTemplate(context, params.template_id, query.record_id),
        }),
      ),
    )

// Creates, changes, lists and previews templates of emails. See docs/reference/sending-email.md (Templates).

const MAX_TEMPLATES = 500

/** In the order of their names. */
const readTemplates = async (context: ApiContext): Promise<TemplateOutput[]> =>
  (await listTemplates(context.db.sql, context.model)).map((row) => render(context, row))

/** Throws 404 for an unknown object, and 400 for unknown variables. */
const createTemplate = (context: ApiContext, input: TemplateInput): Promise<TemplateOutput> =>
  retryOnConflict(context, async (context) => {
    const { model, db, now } = context
    const object = getObject(model, input.object)
    const { name, subject, text, unsubscribe = false } = input
    checkVariables(model, object, { subject, body: text, unsubscribe })
    if ((await listTemplates(db.sql, model)).length >= MAX_TEMPLATES) throw tooManyTemplates(MAX_TEMPLATES)
    const row: TemplateRow = {
      workspace_id: model.workspace.id,
      id: newId(),
      object_id: object.id,
      name,
      subject,
      body: text,
      unsubscribe,
      created_at: timestampFromMicros(now()),
    }
    await controlQueriesIn(db.sql).insertInto('relata.email_templates').values(row).execute()
    return render(context, row)
  })

/** Throws 404, and 400 for unknown variables. */
const updateTemplate = (context: ApiContext, id: string, change: TemplateChange): Promise<TemplateOutput> =>
  retryOnConflict(context, async (context) => {
    if (Object.keys(change).length === 0) throw emptyPayload()
    const before = await getTemplate(context, id)
    const { text: body = before.body, ...others } = change
    const row: TemplateRow = { ...before, ...others, body }
    checkVariables(context.model, getObject(context.model, row.object_id), row)
    const { name, subject, unsubscribe } = row
    const { numUpdatedRows } = await controlQueriesIn(context.db.sql)
      .updateTable('relata.email_templates')
      .set({ name, subject, body, unsubscribe })
      .where(equal({ workspace_id: row.workspace_id, id: row.id }))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw templateNotFound(id)
    return render(context, row)
  })

/** Throws 404. Emails that were written with the template stay. */
async function deleteTemplate(context: ApiContext, id: string): Promise<object> {
  const row = await getTemplate(context, id)
  await controlQueriesIn(context.db.sql)
    .deleteFrom('relata.email_templates')
    .where(equal({ workspace_id: row.workspace_id, id: row.id }))
    .execute()
  return {}
}

/** The texts for a record. Throws 404. */
const previewTemplate = (context: ApiContext, id: string, recordId: string): Promise<FilledTemplate> =>
  retryOnConflict(context, async (context) => {
    const row = await getTemplate(context, id)
    return fillTemplate(context, getObject(context.model, row.object_id), row, readId('Record', recordId))
  })

async function getTemplate({ db, model }: ApiContext, id: string): Promise<TemplateRow> {
  const row = await findTemplate(db.sql, model, readId('Template', id))
  if (row === undefined) throw templateNotFound(id)
  return row
}

function checkVariables(
  model: DataModel,
  object: ObjectType,
  { subject, body, unsubscribe }: Pick<TemplateRow, 'subject' | 'body' | 'unsubscribe'>,
): void {
  const names = variablesOf(model, object, unsubscribe)
  const issues = [
    ...unknownVariables(subject, names, ['data', 'subject']),
    ...unknownVariables(body, names, ['data', 'text']),
  ]
  if (issues.length > 0) throw invalidBody(issues)
}

function render({ model }: ApiContext, row: TemplateRow): TemplateOutput {
  const object = getObject(model, row.object_id)
  return {
    id: { workspace_id: row.workspace_id, template_id: row.id },
    name: row.name,
    object_id: object.id,
    object_slug: object.api_slug,
    subject: row.subject,
    text: row.body,
    unsubscribe: row.unsubscribe,
    variables: [...variablesOf(model, object, row.unsubscribe)],
    created_at: timestampFromPostgres(row.created_at),
  }
}
