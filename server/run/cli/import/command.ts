import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import { NO_FALLBACK } from '#transfer/import/match/identify'
import { ImportError } from '#transfer/import/import-context'
import { CommandError, defineCommand } from '#run/cli/command'
import { getNamedWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { runImportCommand } from './run-import-command'

/** Skipped rows do not fail the command: the summary counts them, and the errors file lists them. */
export const importCommand = defineCommand({
  name: 'import',
  summary: 'Imports the rows of a CSV file as records. Importing a file again changes nothing.',
  positionals: ['<object>', '<file.csv>'],
  options: {
    mapping: {
      kind: 'text',
      value: '<file>',
      description: 'A mapping of columns to attributes, in YAML or JSON. Default: a proposed mapping.',
    },
    map: {
      kind: 'texts',
      value: '<pairs>',
      description:
        'Targets of single columns, e.g. "Website=domains, Raised=raised:currency, Notes=skip". Can be repeated.',
    },
    'print-mapping': { kind: 'flag', description: 'Prints the mapping, for you to edit, and imports nothing.' },
    match: {
      kind: 'text',
      value: '<attribute>',
      description: 'The unique attribute by which rows are matched with records.',
    },
    fallback: {
      kind: 'text',
      value: '<attribute>',
      description: `The attribute by which all other rows are matched, or ${NO_FALLBACK}. Default: name.`,
    },
    overwrite: {
      kind: 'flag',
      description: 'Replaces the values of attributes with several values instead of adding to them.',
    },
    'create-attributes': { kind: 'flag', description: 'Creates missing attributes.' },
    'create-options': { kind: 'flag', description: 'Creates missing options.' },
    'dry-run': { kind: 'flag', description: 'Prints what an import would do, and writes nothing.' },
    errors: {
      kind: 'text',
      value: '<file>',
      description: 'The file that lists what was not imported. Default: <file.csv>.errors.csv.',
    },
    batch: {
      kind: 'text',
      value: '<rows>',
      description: 'The number of rows that are written together. Default: 500.',
    },
    country: { kind: 'text', value: '<country>', description: 'The country of telephone numbers without a +.' },
    as: {
      kind: 'text',
      value: '<email>',
      description: 'The member who is recorded as the writer. Default: the system.',
    },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options, positionals: [object = '', path = ''] }, context) {
    const { id } = await getNamedWorkspace(context.db, options.workspace)
    try {
      const objectOf = (model: DataModel) => getObject(model, object)
      return await runImportCommand({ ...options, workspaceId: id, path, objectOf }, context)
    } catch (error) {
      // The messages of both are written for people.
      if (error instanceof ImportError || error instanceof ApiError) throw new CommandError(error.message)
      throw error
    }
  },
})
