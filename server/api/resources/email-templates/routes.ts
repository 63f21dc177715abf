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
} from './schemas'
import { createTemplate, deleteTemplate, previewTemplate, readTemplates, updateTemplate } from './templates'

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
