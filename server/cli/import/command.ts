import { getObject } from '../../data-model/find'
import { ApiError } from '../../errors/errors'
import { NO_FALLBACK } from '../../import/match/identify'
import { ImportError } from '../../import/import-error'
import { CommandProblem, defineCommand } from '../command'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'
import { runImport } from './run-import-command'

/** Exits with 0 when rows were skipped, too: what was skipped is said, and stands in the errors file. */
export const importCommand = defineCommand({
  name: 'import',
  summary: 'Imports the rows of a CSV file as records; running it again changes nothing.',
  positionals: ['<object>', '<file.csv>'],
  options: {
    mapping: { kind: 'text', value: '<file>', means: 'Which column goes where, in YAML or JSON; else it is guessed.' },
    map: {
      kind: 'texts',
      value: '<pairs>',
      means: 'Single columns, e.g. "Website=domains, Raised=raised:currency, Notes=skip"; as often as needed.',
    },
    'print-mapping': { kind: 'flag', means: 'Prints the mapping to edit, and imports nothing.' },
    match: { kind: 'text', value: '<attribute>', means: 'The unique attribute that tells whether a row is known.' },
    fallback: {
      kind: 'text',
      value: '<attribute>',
      means: `Recognises rows without a value of it; name by default, or ${NO_FALLBACK}.`,
    },
    overwrite: { kind: 'flag', means: 'Replaces lists of values instead of adding to them.' },
    'create-attributes': { kind: 'flag', means: 'Makes attributes that the object lacks.' },
    'create-options': { kind: 'flag', means: 'Makes options that the attributes lack.' },
    'dry-run': { kind: 'flag', means: 'Says what would happen and writes nothing.' },
    errors: { kind: 'text', value: '<file>', means: 'What was not imported; <file.csv>.errors.csv by default.' },
    batch: { kind: 'text', value: '<rows>', means: 'How many rows are written at once; 500 by default.' },
    country: { kind: 'text', value: '<country>', means: 'Whose form telephone numbers without a + are in.' },
    as: { kind: 'text', value: '<email>', means: 'The member who is said to have written the values.' },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options, positionals: [object = '', path = ''] }, surroundings) {
    const { id } = await getWorkspace(surroundings.db, options.workspace)
    try {
      return await runImport(
        { ...options, workspaceId: id, path, objectOf: (model) => getObject(model, object) },
        surroundings,
      )
    } catch (error) {
      // Both are written for people.
      if (error instanceof ImportError || error instanceof ApiError) throw new CommandProblem(error.message)
      throw error
    }
  },
})
