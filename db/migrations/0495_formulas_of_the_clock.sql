-- `worker`: in columns that a worker fills. `function`: the formula reads the clock, so that statements compute the values with a function of the workspace's schema. See
-- docs/decisions/formulas.md.
alter table relata.attributes drop constraint attributes_stored_in_check;
alter table relata.attributes add constraint attributes_stored_in_check
  check (stored_in in ('columns', 'entity', 'partner', 'formula', 'function', 'worker'));
