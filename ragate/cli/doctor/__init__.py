"""What `ragate doctor` looks at: functions from facts to findings. docs/doctor.md lists them."""
