"""What the judge checks outside the process that ran a file's programs."""
