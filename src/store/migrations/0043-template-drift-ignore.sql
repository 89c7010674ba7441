-- Fields of its objects that a template leaves to others: a list of rules. Null: none.
alter table caelus.product_template_version
  add column drift_ignore_json jsonb check (jsonb_typeof(drift_ignore_json) = 'array');
