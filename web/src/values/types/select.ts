import { choiceId } from '../../api/data-model/attributes'
import { choicesOf } from '../choices.svelte'
import { defaultField, type ValueType } from '../define'
import ChoiceInput from '../inputs/ChoiceValue.svelte'
import Chip from '../shown/Chip.svelte'
import { choiceIn } from './choices'

export const select: ValueType = {
  text: ({ option }) => choiceIn(option).title,
  input: ({ option }) => choiceIn(option).id,
  guess: (input, attribute, entityType) => ({
    option: choicesOf(entityType, attribute)?.data?.find((choice) => choiceId(choice) === input),
  }),
  refusal: 'This option no longer exists. Choose another one.',
  Shown: Chip,
  Input: ChoiceInput,
  fields: [defaultField('choice', ['$eq', '$not_empty'])],
  width: 10,
  defaultEditor: 'choice',
}
