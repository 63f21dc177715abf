-- The country whose national form the console and imports accept for telephone numbers without a country code.
alter table relata.workspaces add column default_country text check (default_country ~ '^[A-Z]{2}$');

-- The color of a select option or status. Without one, the console derives a color from the id.
alter table relata.options add column color text
  check (color in ('indigo', 'green', 'orange', 'pink', 'blue', 'purple', 'gray'));
