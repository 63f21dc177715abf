import { choiceId } from '../../api/data-model/attributes'
import { choicesOf } from '../choices.svelte'
import { defaultField, type ValueType } from '../define'
import ChoiceInput from '../inputs/ChoiceValue.svelte'
import Chip from '../shown/Chip.svelte'
import { choiceIn } from './choices'

export const status: ValueType = {
  text: ({ status }) => choiceIn(status).title,
  input: ({ status }) => choiceIn(status).id,
  guess: (input, attribute, entityType) => ({
    status: choicesOf(entityType, attribute)?.data?.find((choice) => choiceId(choice) === input),
  }),
  refusal: 'This status no longer exists. Choose another one.',
  Shown: Chip,
  Input: ChoiceInput,
  fields: [defaultField('choice', ['$eq', '$not_empty'])],
  width: 10,
  defaultEditor: 'choice',
}
